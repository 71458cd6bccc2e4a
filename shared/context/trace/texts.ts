/** Makes texts from a trace safe to show. */

/** The first characters in UTF-16 units, without splitting a character. */
export function shortened(text: string, characters: number): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= characters) return { text: text.toWellFormed(), isCut: false };
  const endsInPair = (text.codePointAt(characters - 1) ?? 0) > 0xffff;
  const beginning = text.slice(0, endsInPair ? characters - 1 : characters);
  // Copies the text: a slice would keep the original in memory, which may be a hundred times longer.
  return { text: Buffer.from(beginning).toString(), isCut: true };
}

/** Removes everything before the `@` of an address, because many tokens are sent as user names. */
export const urlWithoutCredentials = (url: string): string => url.replace(/^([^:/?#]*:\/\/)[^/?#]*@/, '$1');

/** Removes credentials from addresses inside a text, where quotes and spaces end them. */
export const textWithoutCredentials = (text: string): string => text.replaceAll(/:\/\/[\w.~%!$&'()*+,;=:@-]*@/g, '://');
