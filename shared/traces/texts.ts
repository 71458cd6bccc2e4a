/** Texts out of a trace, as they may be shown. */

/** At most so many characters (UTF-16 units), the last of them whole. */
export function shortened(text: string, characters: number): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= characters) return { text: text.toWellFormed(), isCut: false };
  const endsInPair = (text.codePointAt(characters - 1) ?? 0) > 0xffff;
  const beginning = text.slice(0, endsInPair ? characters - 1 : characters);
  // A slice keeps all of what it was cut from, which may be a hundred times longer: this is a copy.
  return { text: Buffer.from(beginning).toString(), isCut: true };
}

/** Whatever stands before the `@` of an address goes, user names too: many a token is sent as one. */
export const urlWithoutCredentials = (url: string): string => url.replace(/^([^:/?#]*:\/\/)[^/?#]*@/, '$1');

/** The same for addresses within a text, where quotes and blanks end them. */
export const textWithoutCredentials = (text: string): string => text.replaceAll(/:\/\/[\w.~%!$&'()*+,;=:@-]*@/g, '://');
