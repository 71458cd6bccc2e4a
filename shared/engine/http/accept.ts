/** RFC 9110 section 12.5: content negotiation by headers with weighted alternatives. */

interface AcceptedName {
  readonly weight: number;
  /** Index in the list of names, or -1. For media types, the wildcards: 0 in `text/markdown`, 1 in `text/*`. */
  readonly wildcards: number;
}

/** Finds the first of `names`, most specific first, that occurs in the header. Its weight is 0 if none occurs. */
function findAcceptedName(header: string, names: readonly string[]): AcceptedName {
  const weights = new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight ? Number(weight.slice(2)) : 1] as const;
    }),
  );
  const wildcards = names.findIndex((name) => weights.has(name));
  const name = names[wildcards];
  const weight = name === undefined ? 0 : weights.get(name);
  // A weight that is no number counts as 0.
  return { weight: weight || 0, wildcards };
}

export const acceptsGzip = (acceptEncoding: string): boolean =>
  findAcceptedName(acceptEncoding, ['gzip', 'x-gzip', '*']).weight > 0;

/** With equal weights, the more specific type wins, and JSON if both are equally specific. */
export function prefersMarkdown(accept: string): boolean {
  const markdown = findAcceptedName(accept, ['text/markdown', 'text/*', '*/*']);
  const json = findAcceptedName(accept, ['application/json', 'application/*', '*/*']);
  if (markdown.weight !== json.weight) return markdown.weight > json.weight;
  return markdown.weight > 0 && markdown.wildcards < json.wildcards;
}
