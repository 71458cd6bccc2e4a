/** Limits of the MCP server. */
export const MCP_LIMITS = {
  /** The maximum number of tools. Common clients accept at most 40 tools from all servers together. */
  tools: 34,
  descriptionCharacters: 400,
  /** The maximum length of a tool's answer. */
  answerCharacters: 60_000,
  /**
   * The number of characters of an answer that are masked. Any text after them would be cut off anyway, unless most of
   * the text before it consists of secrets.
   */
  maskedCharacters: 240_000,
  /** Characters of an answer that are reserved for the notes around its data. */
  noteCharacters: 1000,
  /** The default maximum length of a failure context. */
  contextCharacters: 24_000,
  bodyBytes: 256 * 1024,
  /** The maximum number of messages in one request. Protocol version 2025-03-26 allows batches. */
  batch: 10,
  /** The number of characters of an error that lists show. `get_context` shows the whole error. */
  errorCharacters: 300,
} as const;
