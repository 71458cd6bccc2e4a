/** Texts out of a trace, as they may be shown. */

/** At most so many characters (UTF-16 units), the last of them whole. The rest of the text is let go. */
export function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text.toWellFormed();
  const last = text.codePointAt(characters - 1) ?? 0;
  const whole = text.slice(0, last > 0xffff ? characters - 1 : characters);
  // A slice keeps all of what it was cut from, and a shortlist of slices everything that was ever on it.
  return Buffer.from(whole).toString();
}

/** Whatever stands before the `@` of an address goes, user names too: many a token is sent as one. */
export const urlWithoutCredentials = (url: string): string => url.replace(/^([^:/?#]*:\/\/)[^/?#]*@/, '$1');

/** The same for addresses within a text, where quotes and blanks end them. */
export const textWithoutCredentials = (text: string): string => text.replaceAll(/:\/\/[\w.~%!$&'()*+,;=:@-]*@/g, '://');
