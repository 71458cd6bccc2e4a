/** The reasons for refusing a trace. Callers log reason and detail, which contain no text of the file. */
export type RefusalReason =
  /** The file does not begin with a zip signature. */
  | 'notZip'
  /** The file ends before the archive ends. */
  | 'truncated'
  /** The archive contradicts itself, or does not inflate. */
  | 'damaged'
  | 'encrypted'
  /** The events use another compression than Deflate. */
  | 'unknownMethod'
  /** No event file begins as a trace does. */
  | 'noTrace'
  | 'unknownVersion'
  | 'tooLarge'
  | 'tooManyEntries'
  | 'inflatesTooFar'
  | 'tooSlow';

/** The archive reader throws this error. `readTrace` returns it to the caller. */
export class RefusedArchive extends Error {
  override name = 'Refusal';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}
