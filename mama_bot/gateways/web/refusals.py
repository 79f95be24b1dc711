"""How the page's server says no."""

from starlette.responses import JSONResponse


def refusal(status: int, code: str, sentence: str) -> JSONResponse:
    """Return an answer that says what was wrong, in a sentence that the page can show."""
    return JSONResponse({"error": code, "message": sentence}, status_code=status)
