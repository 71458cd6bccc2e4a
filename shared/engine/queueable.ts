/**
 * Makes text acceptable for SQS, which refuses U+FFFE and U+FFFF, and for UTF-8, which cannot encode lone surrogates.
 * Each of these characters becomes U+FFFD. Control characters stay, because JSON escapes them.
 */
export const queueable = (text: string): string => text.toWellFormed().replaceAll(/[\ufffe\uffff]/g, '\ufffd');

/** A replacer for `JSON.stringify` that makes all strings of a value queueable. */
export const queueableTexts = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? queueable(value) : value;
