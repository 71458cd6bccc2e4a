/** The JSON value of a text. `undefined` if the text is damaged or something else. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
