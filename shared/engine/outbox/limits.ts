/** Limits of one call to the event bus or a queue. */
export const OUTBOX_LIMITS = {
  entriesPerCall: 10,
  /** EventBridge accepts 256 KB per call, including the metadata of the entries. */
  bytesPerCall: 200_000,
  /** SQS delays a message for at most 15 minutes. */
  delaySeconds: 900,
  attempts: 3,
  connectMilliseconds: 1000,
  callMilliseconds: 5000,
} as const;
