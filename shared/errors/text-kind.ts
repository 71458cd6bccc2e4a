/** Decides by the text of an error whether it is a network error or a timeout. */

const NETWORK =
  /net::ERR_|\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|EHOSTUNREACH|EAI_AGAIN)\b|fetch failed|socket hang up|[Cc]onnection (?:refused|reset)/;

const TIMEOUT = /\btimed? ?out\b|[Tt]imeout (?:of )?[\d.]+ ?m?s|[Ee]xceeded timeout|TimeoutError|exceeded timeout/i;

export function decideTextKind(text: string): 'network' | 'timeout' | 'error' {
  if (NETWORK.test(text)) return 'network';
  return TIMEOUT.test(text) ? 'timeout' : 'error';
}
