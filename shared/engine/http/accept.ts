/** RFC 9110 section 12.5: content negotiation by headers with weighted alternatives. */

interface Named {
  readonly weight: number;
  /**
   * The index of the matching name in the list of names, or -1 if none matches. For media types, the index equals the
   * number of wildcards: 0 for `text/markdown`, 1 for `text/*`.
   */
  readonly wildcards: number;
}

/**
 * Finds the first of `names` that occurs in the header. Returns its weight and its index, or the weight 0 if none
 * occurs. `names` must be sorted, the most specific name first.
 */
function namedIn(header: string, names: readonly string[]): Named {
  const weights = new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight ? Number(weight.slice(2)) : 1] as const;
    }),
  );
  const wildcards = names.findIndex((name) => weights.has(name));
  const [name] = names.slice(wildcards);
  return { weight: (wildcards >= 0 && name !== undefined && weights.get(name)) || 0, wildcards };
}

/** Whether the header accepts gzip, or any coding, with a weight above zero. */
export const acceptsGzip = (acceptEncoding: string): boolean =>
  namedIn(acceptEncoding, ['gzip', 'x-gzip', '*']).weight > 0;

/**
 * Whether the client prefers Markdown. With equal weights, the more specific type wins. If both are equally specific,
 * JSON wins.
 */
export function prefersMarkdown(accept: string): boolean {
  const markdown = namedIn(accept, ['text/markdown', 'text/*', '*/*']);
  const json = namedIn(accept, ['application/json', 'application/*', '*/*']);
  if (markdown.weight !== json.weight) return markdown.weight > json.weight;
  return markdown.weight > 0 && markdown.wildcards < json.wildcards;
}
