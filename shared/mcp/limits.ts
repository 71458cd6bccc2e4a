/** Limits of the MCP server. */
export const MCP_LIMITS = {
  /**
   * The maximum number of tools. Some clients accept at most 40 tools from all servers together. A credential sees only
   * the tools that it may use: a Read Only key sees about 60 % of them.
   */
  tools: 39,
  descriptionCharacters: 400,
  answerCharacters: 60_000,
  /**
   * The maximum number of characters of an answer that are searched for secrets. Texts beyond this limit are left out.
   * They would not fit into the answer anyway, unless masking shortened the texts before them to a quarter.
   */
  maskedCharacters: 240_000,
  /** Characters of an answer that are reserved for the notes around its data. */
  noteCharacters: 1000,
  /** The default maximum length of a failure context. */
  contextCharacters: 24_000,
  bodyBytes: 256 * 1024,
  /** The maximum number of messages in one request. Protocol version 2025-03-26 allows batches. */
  batch: 10,
  /**
   * The length to which a long error in a list is shortened. An error of up to twice this length is shown whole.
   * `get_context` shows more of it.
   */
  errorCharacters: 300,
} as const;
