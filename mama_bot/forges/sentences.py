"""What people are told about a forge that does not do what it was asked."""

from mama_bot.wording import Said

WRONG_TOKEN = Said(
    en="{host} does not accept the token in {token} (secrets.env): it is wrong, expired or revoked. "
    "Put a new one there.",
    ko="{host:이/가} {token}의 토큰을 받아들이지 않습니다(secrets.env): 잘못되었거나 만료 또는 취소되었습니다. "
    "새 토큰을 넣으세요.",
)
NO_TOKEN = Said(
    en="There is no token for {host}: put one into secrets.env as {token}.",
    ko="{host}의 토큰이 없습니다. secrets.env에 {token:으로/로} 넣으세요.",
)
NO_RIGHT = Said(
    en="The token in {token} may not do this in {project} on {host}: it needs {right}.",
    ko="{token}의 토큰으로는 {host}의 {project}에서 이 일을 할 수 없습니다. {right} 권한이 필요합니다.",
)
NOT_AUTHORIZED = Said(
    en="The organization of {project} wants the token in {token} to be authorized for single sign-on.",
    ko="{project}의 조직에서 {token}의 토큰에 SSO 승인을 요구합니다.",
)
NOT_THERE = Said(
    en="{host} knows no {project}, or the token in {token} may not see it.",
    ko="{host}에 {project:이/가} 없거나, {token}의 토큰으로는 볼 수 없습니다.",
)
REFUSED = Said(
    en="{host} refused this ({status}): {reason}.",
    ko="{host:이/가} 요청을 거절했습니다({status}): {reason}.",
)
NO_REASON = Said(en="it does not say why", ko="이유를 알려 주지 않습니다")
NOTHING_TO_MERGE = Said(
    en="The branch {branch} holds no commit that {target} lacks: there is nothing to open a pull request for.",
    ko="{branch} 브랜치에 {target:에/에} 없는 커밋이 없습니다. 풀 리퀘스트로 열 것이 없습니다.",
)
NO_DRAFTS = Said(
    en="{project} takes no drafts. Set repositories.*.forge.draft to false.",
    ko="{project:은/는} 초안을 받지 않습니다. repositories.*.forge.draft를 false로 바꾸세요.",
)
NOT_PUSHED = Said(
    en="{host} has no branch {branch}, or none called {target} to merge it into.",
    ko="{host}에 {branch} 브랜치나, 병합할 {target} 브랜치가 없습니다.",
)
NO_ANSWER = Said(
    en="{host} does not answer: {reason}.",
    ko="{host:이/가} 응답하지 않습니다: {reason}.",
)
TOO_SLOW = Said(en="nothing came within {seconds:g} seconds", ko="{seconds:g}초 안에 아무것도 오지 않았습니다")
IN_TROUBLE = Said(
    en="{host} is in trouble (HTTP {status}). Try again later.",
    ko="{host}에 문제가 있습니다(HTTP {status}). 나중에 다시 시도하세요.",
)
TOO_OFTEN = Said(
    en="{host} was asked too often and wants a pause of {minutes:minute|minutes}.",
    ko="{host}에 요청이 너무 많아 {minutes}분 쉬어야 합니다.",
)
ELSEWHERE = Said(
    en="{host} sends requests on to {other}, and the token is not sent there. Check repositories.*.forge.base_url.",
    ko="{host:이/가} 요청을 {other:으로/로} 넘기는데, 토큰은 그곳으로 보내지 않습니다. "
    "repositories.*.forge.base_url을 확인하세요.",
)
NO_API = Said(
    en="{host} did not answer as {kind} does. Check repositories.*.forge.base_url and kind.",
    ko="{host}의 응답이 {kind}의 형식이 아닙니다. repositories.*.forge.base_url과 kind를 확인하세요.",
)
KINDS = {"github": "GitHub", "gitlab": "GitLab"}
