/** Why a trace is not read. Callers log reason and detail: of the file's own content they hold numbers at most. */
export type RefusalReason =
  /** It begins like no zip archive. */
  | 'notZip'
  /** It ends before its archive does. */
  | 'truncated'
  /** Its parts contradict each other, or do not inflate. */
  | 'damaged'
  | 'encrypted'
  /** Events compressed by anything but Deflate. */
  | 'unknownMethod'
  /** No file of events in it begins as a trace does. */
  | 'noTrace'
  | 'unknownVersion'
  | 'tooLarge'
  | 'tooManyEntries'
  | 'inflatesTooFar'
  | 'tooSlow';

/** Thrown inside the reader only: `readTrace` answers it. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}
