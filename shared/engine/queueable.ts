/**
 * Makes text acceptable for SQS, which refuses U+FFFE and U+FFFF, and for UTF-8, which cannot encode lone surrogates.
 * Each of these characters becomes U+FFFD. Control characters stay, because JSON escapes them.
 */
export const replaceInvalidCharacters = (text: string): string =>
  text.toWellFormed().replaceAll(/[\ufffe\uffff]/g, '\ufffd');

/** A replacer for `JSON.stringify`. */
export const replaceInvalidInJson = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? replaceInvalidCharacters(value) : value;
