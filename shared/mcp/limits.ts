/** Limits of the MCP server. */
export const MCP_LIMITS = {
  /** The most tools. Common clients stop at 40 tools of all servers together. */
  tools: 34,
  descriptionCharacters: 400,
  /** The longest answer of a tool. */
  answerCharacters: 60_000,
  /** Characters that are masked for an answer. Later ones would be cut off, unless most before them are secrets. */
  maskedCharacters: 240_000,
  /** Characters of the answer that the notes around its data may take. */
  noteCharacters: 1000,
  /** Default length of a failure context, which is cut at sensible places. */
  contextCharacters: 24_000,
  bodyBytes: 256 * 1024,
  /** Messages in one request. Protocol version 2025-03-26 allows several. */
  batch: 10,
  /** Characters of an error in a list. `get_context` shows the whole error. */
  errorCharacters: 300,
} as const;
