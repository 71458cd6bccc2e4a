/** RFC 9110 12.5: headers in which a caller weighs alternatives. */

/** The weight of the first of these names that the header has; 0 where it has none. */
function weightOf(header: string, ...names: readonly string[]): number {
  const weights = new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight ? Number(weight.slice(2)) : 1] as const;
    }),
  );
  const named = names.find((name) => weights.has(name));
  return (named === undefined ? undefined : weights.get(named)) || 0;
}

/** gzip or any, unless its weight is zero. */
export const acceptsGzip = (acceptEncoding: string): boolean => weightOf(acceptEncoding, 'gzip', 'x-gzip', '*') > 0;

/** JSON where both are as welcome. */
export const prefersMarkdown = (accept: string): boolean =>
  weightOf(accept, 'text/markdown', 'text/*', '*/*') > weightOf(accept, 'application/json', 'application/*', '*/*');
