/** Finds the page of a request that arrived by a greedy resource of API Gateway, such as `/{organizationId}/{path+}`. */

/** The last segment of a greedy resource. Its value is the rest of the path. */
export const GREEDY_SEGMENT = '{path+}';

export const isGreedy = (resource: string): boolean => resource.endsWith(`/${GREEDY_SEGMENT}`);

export const isPathBelow = (path: string, base: string): boolean => path.startsWith(`${base}/`);

export interface MatchedPath {
  /** The path as declared. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the declared path that matches, with the values of its parameters. A literal segment is preferred to a parameter,
 * as API Gateway does. `pathParameters`: those of the greedy resource, decoded. An encoded slash in them separates
 * segments, which no id contains.
 */
export function findDeclaredPath(
  declaredPaths: readonly string[],
  resource: string,
  { path: rest = '', ...baseParameters }: Readonly<Record<string, string | undefined>>,
): MatchedPath | undefined {
  const base = resource.slice(0, -GREEDY_SEGMENT.length - 1);
  const segments = rest.split('/');
  const matches = declaredPaths.flatMap((path) => {
    const declaredSegments = isPathBelow(path, base) ? path.slice(base.length + 1).split('/') : [];
    const parameters = matchSegments(declaredSegments, segments);
    return parameters ? [{ path, rank: rankSegments(declaredSegments), parameters }] : [];
  });
  const [best] = matches.toSorted((one, other) => (one.rank < other.rank ? -1 : 1));
  return best && { path: best.path, pathParameters: { ...baseParameters, ...best.parameters } };
}

function matchSegments(
  declaredSegments: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (declaredSegments.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const declaredSegment = declaredSegments[index] ?? '';
    const name = readParameterName(declaredSegment);
    const matches = name === undefined ? declaredSegment === segment : segment !== '';
    if (!matches) return undefined;
    if (name !== undefined) parameters[name] = segment;
  }
  return parameters;
}

const readParameterName = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1];

/** Sorts literals before parameters, from the first segment to the last. */
const rankSegments = (segments: readonly string[]): string =>
  segments.map((segment) => (readParameterName(segment) === undefined ? '0' : '1')).join('');
