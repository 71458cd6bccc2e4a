/** Limits of the MCP server. */
export const MCP_LIMITS = {
  /** Some clients accept at most 40 tools from all servers together. A Read Only key sees about 60 % of ours. */
  tools: 39,
  descriptionCharacters: 400,
  /** Clients put the list of tools into every conversation. */
  listCharacters: 36_000,
  answerCharacters: 60_000,
  /** Texts beyond are left out: they would not fit, unless masking shortened the texts before them to a quarter. */
  maskedCharacters: 240_000,
  /** Characters of an answer that are reserved for the notes around its data. */
  noteCharacters: 1000,
  /** The default maximum length of a failure context. */
  contextCharacters: 24_000,
  /** The largest picture that a tool shows. Larger ones are links. Base64 adds a third. */
  pictureBytes: 1_500_000,
  /** How long a client may keep the list of tools. It changes with a deployment, a role or a permission. */
  listMilliseconds: 5 * 60_000,
  bodyBytes: 256 * 1024,
  /** The maximum number of messages in one request. Protocol version 2025-03-26 allows batches. */
  batch: 10,
  /** Length of long errors in lists. Up to twice this length is shown whole. `get_context` shows more. */
  errorCharacters: 300,
} as const;
