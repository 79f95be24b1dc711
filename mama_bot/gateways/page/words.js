// Every word of the interface, in English and Korean.
const WORDS = {
  en: {
    skip: "Skip to the message box", newConversation: "New conversation", conversations: "Conversations",
    team: "Team", openMenu: "Open the menu", closeMenu: "Close the menu", dark: "Dark theme", light: "Light theme",
    send: "Send", stop: "Stop", stopping: "Stopping…", placeholder: "Message the team, @ to name someone", placeholderShort: "Message the team",
    messageLabel: "Message to the team", hint: "Enter sends, Shift + Enter starts a new line",
    earlier: "Show earlier messages", toEnd: "Newest", you: "You", untitled: "New conversation",
    lost: "Connection lost. Trying again…", regained: "Connected again.",
    emptyTitle: "What shall the team do?",
    emptyText: "Every reply is judged before you see it: empty praise, approvals without evidence and unproven “done” go back to their author.",
    example1: "Refactor these 3 files: cart.py, price.py, tax.py", example1Note: "Lead, developer and reviewer work it out",
    example2: "@reviewer Review the last commit. What did you verify?", example2Note: "Ask one of them directly",
    example3: "테스트가 왜 실패하는지 찾아서 고쳐 주세요.", example3Note: "In Korean",
    today: "Today", yesterday: "Yesterday", milliseconds: "{n} ms", seconds: "{n} s", minutes: "{m} min {s} s",
    passed: "Passed", noted: "Passed with a note", needs_review: "Needs review", withheld: "Withheld", failed: "Failed",
    attempts: "{n} attempts", sentBack: "{n} sent back: {why}", checks: "passed {n} checks", check: "passed 1 check",
    tool: "1 tool", tools: "{n} tools", to: "to {name}", waiting: "Waiting", sending: "Sending…",
    attempt: "Attempt {n}", isSentBack: "sent back", isCleared: "posted", isWithheld: "withheld",
    isNoted: "posted with a note", isReview: "posted, needs review", notReached: "not reached",
    allow: "passed", amend: "noted", block: "sent back", observed: "only watched", stageFailed: "The check itself failed: {why}",
    toolsTitle: "What really happened", dropped: "{n} more were not kept", exit: "exit {n}", running: "running", cutOff: "not finished",
    output: "Output (end)", argument: "Call", noOutput: "No output", tokens: "{i} tokens in, {o} out",
    atWork: "At work", working: "{name} is working", thinking: "thinking", askedBy: "asked by {name}", moreTools: "{n} earlier",
    workingAttempt: "attempt {n}", attemptSentBack: "Attempt {n} was sent back by {stage}",
    modelRetried: "The model's service did not answer{status}; asked again.", statusIs: " (status {n})",
    notDelivered: "Not delivered: {why}", copy: "Copy", copied: "Copied", showAll: "Show all", showLess: "Show less",
    queue: "{r} running, {w} waiting", idle: "All quiet", teamWorking: "{names} at work", ready: "{n} agents ready",
    unread: "new", replied: "{name} replied", decisions: "What the checks decided",
    lead: "Leads", worker: "Changes files", reader: "Only reads", nothingToStop: "Nothing was running.",
    keyLabel: "Key of this page", keyHint: "The key is in MAMA_WEB__KEY where the service runs.", signIn: "Sign in",
    stage_response_validator: "Response validator", stage_review_gate: "Review gate",
    stage_scope_guard: "Scope guard", stage_todo_tracker: "To-do tracker", stage_delegation_check: "Delegation check",
    error_unreachable: "The service cannot be reached. Your text is kept; send it again when the connection is back.",
    error_failed: "Something went wrong inside the service; its log says what. Try again.",
  },
  ko: {
    skip: "메시지 입력란으로 이동", newConversation: "새 대화", conversations: "대화 목록",
    team: "팀", openMenu: "메뉴 열기", closeMenu: "메뉴 닫기", dark: "어두운 테마", light: "밝은 테마",
    send: "보내기", stop: "중지", stopping: "중지하는 중…", placeholder: "팀에게 메시지 보내기, @로 지정", placeholderShort: "팀에게 메시지 보내기",
    messageLabel: "팀에게 보낼 메시지", hint: "Enter로 보내고 Shift + Enter로 줄을 바꿉니다",
    earlier: "이전 메시지 보기", toEnd: "최신", you: "나", untitled: "새 대화",
    lost: "연결이 끊겼습니다. 다시 연결하는 중…", regained: "다시 연결되었습니다.",
    emptyTitle: "팀에게 무엇을 맡길까요?",
    emptyText: "모든 답변은 보이기 전에 검사를 거칩니다. 빈 칭찬, 근거 없는 승인, 증명되지 않은 “완료”는 작성자에게 되돌아갑니다.",
    example1: "Refactor these 3 files: cart.py, price.py, tax.py", example1Note: "리드, 개발자, 리뷰어가 함께 처리합니다",
    example2: "@reviewer 마지막 커밋을 리뷰해 주세요. 무엇을 확인했나요?", example2Note: "한 사람에게 직접 묻기",
    example3: "테스트가 왜 실패하는지 찾아서 고쳐 주세요.", example3Note: "한국어로",
    today: "오늘", yesterday: "어제", milliseconds: "{n}ms", seconds: "{n}초", minutes: "{m}분 {s}초",
    passed: "통과", noted: "참고 사항 있음", needs_review: "검토 필요", withheld: "보류됨", failed: "실패",
    attempts: "{n}회 시도", sentBack: "{n}회 반려: {why}", checks: "검사 {n}개 통과", check: "검사 1개 통과",
    tool: "도구 1회", tools: "도구 {n}회", to: "{name}에게", waiting: "대기 중", sending: "보내는 중…",
    attempt: "{n}차 시도", isSentBack: "반려", isCleared: "게시", isWithheld: "보류",
    isNoted: "참고와 함께 게시", isReview: "게시, 검토 필요", notReached: "검사하지 않음",
    allow: "통과", amend: "참고", block: "반려", observed: "관찰만 함", stageFailed: "검사 자체가 실패했습니다: {why}",
    toolsTitle: "실제로 실행된 것", dropped: "{n}개는 보관하지 않았습니다", exit: "종료 코드 {n}", running: "실행 중", cutOff: "끝나지 않음",
    output: "출력 (끝부분)", argument: "호출", noOutput: "출력 없음", tokens: "입력 {i} 토큰, 출력 {o} 토큰",
    atWork: "작업 중", working: "{name} 작업 중", thinking: "생각하는 중", askedBy: "{name}의 요청", moreTools: "이전 {n}개",
    workingAttempt: "{n}차 시도", attemptSentBack: "{n}차 시도가 반려되었습니다: {stage}",
    modelRetried: "모델 서비스가 응답하지 않아{status} 다시 요청했습니다.", statusIs: " (상태 {n})",
    notDelivered: "전달되지 않음: {why}", copy: "복사", copied: "복사됨", showAll: "모두 보기", showLess: "접기",
    queue: "실행 {r}, 대기 {w}", idle: "대기 중인 작업 없음", teamWorking: "{names} 작업 중", ready: "에이전트 {n}명 준비됨",
    unread: "새 답변", replied: "{name} 답변 도착", decisions: "검사 결과",
    lead: "팀을 이끎", worker: "파일을 수정함", reader: "읽기 전용", nothingToStop: "실행 중인 작업이 없습니다.",
    keyLabel: "이 페이지의 키", keyHint: "키는 서비스가 실행되는 곳의 MAMA_WEB__KEY에 있습니다.", signIn: "로그인",
    stage_response_validator: "응답 검사", stage_review_gate: "승인 검사",
    stage_scope_guard: "범위 검사", stage_todo_tracker: "할 일 검사", stage_delegation_check: "위임 검사",
    error_unreachable: "서비스에 연결할 수 없습니다. 글은 보관되어 있으니 연결되면 다시 보내 주세요.",
    error_failed: "서비스 내부에서 문제가 발생했습니다. 로그를 확인한 뒤 다시 시도해 주세요.",
    error_empty: "메시지가 비어 있습니다. 먼저 내용을 입력해 주세요.",
    error_too_long: "메시지가 너무 깁니다. 줄이거나 긴 부분은 파일에 넣어 주세요.",
    error_queue_full: "대기열이 가득 찼습니다. 일부 답변이 끝난 뒤 다시 보내 주세요.",
    error_store_unavailable: "데이터베이스를 지금 사용할 수 없어 저장하지 못했습니다. 잠시 후 다시 보내 주세요.",
    error_wrong_key: "이 페이지의 키가 아닙니다.",
    error_too_many_tries: "잘못된 키를 너무 많이 시도했습니다. 잠시 후 다시 시도해 주세요.",
  },
};

export const language = (navigator.language ?? "en").toLowerCase().startsWith("ko") ? "ko" : "en";

export function t(word, facts = {}) {
  const sentence = WORDS[language][word] ?? WORDS.en[word] ?? word;
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in facts ? String(facts[name]) : whole));
}

export const known = (word) => word in WORDS[language];

export const stageName = (stage) => (known("stage_" + stage) ? t("stage_" + stage) : stage.replaceAll("_", " "));

export const errorSentence = (error) =>
  known("error_" + error.code) ? t("error_" + error.code) : error.message || t("error_failed");

document.documentElement.lang = language;
