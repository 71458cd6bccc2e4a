/**
 * Text that every queue takes. SQS refuses U+FFFE and U+FFFF, and UTF-8 cannot encode lone surrogates. Each becomes
 * U+FFFD. Control characters stay, because JSON escapes them. Emoji stay, because SQS takes them.
 */
export const queueable = (text: string): string => text.toWellFormed().replaceAll(/[\ufffe\uffff]/g, '\ufffd');

/** A replacer for `JSON.stringify`, which makes all texts of a value queueable. */
export const queueableTexts = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? queueable(value) : value;
