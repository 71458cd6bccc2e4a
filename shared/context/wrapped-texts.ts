/** Base64 texts inside other texts, as in Kubernetes secrets and CI settings. */

/** Matches both Base64 alphabets; a slash may separate URL-safe texts. Shorter texts cannot contain a token. */
const ENCODED = [/(?<![\w+/-])[\w+/-]{24,}={0,2}/g, /(?<![\w-])[\w-]{24,}={0,2}/g];
const PRINTABLE = /^[\n\r\t -~]*$/;

interface WrappedText {
  readonly start: number;
  /** The index after the last character of the Base64 text. */
  readonly end: number;
  readonly content: string;
}

/** Most texts are the same in both alphabets, and are decoded once. */
export function wrappedTexts(text: string): WrappedText[] {
  const [first, second] = ENCODED.map((alphabet) => [...text.matchAll(alphabet)]);
  const known = new Map(first?.map(({ 0: encoded, index }) => [index, encoded]));
  const others = second?.filter(({ 0: encoded, index }) => known.get(index) !== encoded) ?? [];
  return [...(first ?? []), ...others].map(decoded).filter(({ content }) => PRINTABLE.test(content));
}

const decoded = ({ 0: encoded, index }: RegExpExecArray): WrappedText => ({
  start: index,
  end: index + encoded.length,
  content: Buffer.from(encoded, 'base64').toString('latin1'),
});
