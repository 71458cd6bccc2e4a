/** Finds the route of a request in a tree of resources, as a REST API does. Literal segments come first. */
import { decodePercent } from './percent-encoding.ts';

export interface Route {
  readonly method: string;
  /** The path as declared, for example `/v1/runs/{runId}`. */
  readonly path: string;
}

export interface FoundRoute<T extends Route> {
  readonly route: T;
  /** URL-decoded values, as functions receive them. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  parameter: { readonly name: string; readonly node: Node<T> } | undefined;
  /** `{path+}` takes all remaining segments, at least one. */
  greedy: { readonly name: string; readonly node: Node<T> } | undefined;
  readonly methods: Map<string, T>;
}

export type RouteTree<T extends Route> = Node<T>;

const newNode = <T>(): Node<T> => ({
  literals: new Map(),
  parameter: undefined,
  greedy: undefined,
  methods: new Map(),
});

export function routeTree<T extends Route>(routes: readonly T[]): RouteTree<T> {
  const root = newNode<T>();
  for (const route of routes) {
    let node = root;
    for (const segment of route.path.split('/').slice(1)) node = childFor(node, segment);
    node.methods.set(route.method, route);
  }
  return root;
}

function childFor<T>(node: Node<T>, segment: string): Node<T> {
  const parameter = /^\{([^}+]+)\}$/.exec(segment)?.[1];
  if (parameter !== undefined) {
    node.parameter ??= { name: parameter, node: newNode() };
    return node.parameter.node;
  }
  const greedy = /^\{([^}+]+)\+\}$/.exec(segment)?.[1];
  if (greedy !== undefined) {
    node.greedy ??= { name: greedy, node: newNode() };
    return node.greedy.node;
  }
  if (segment.includes('{')) throw new Error(`The local runner does not support the path segment ${segment}`);
  const child = node.literals.get(segment) ?? newNode<T>();
  node.literals.set(segment, child);
  return child;
}

/**
 * Finds the route of a raw path (no query). A literal resource hides its `{parameter}` sibling, even for methods that
 * only the sibling has. API Gateway finds the resource first and its method second. The deepest `{greedy+}` resource
 * takes paths that no other resource matches.
 */
export function findRoute<T extends Route>(
  root: RouteTree<T>,
  method: string,
  rawPath: string,
): FoundRoute<T> | undefined {
  const segments = rawPath.split('/').slice(1);
  const found = resourceAt(root, segments);
  const route = found?.node.methods.get(method);
  return route && { route, pathParameters: found?.pathParameters ?? {} };
}

interface Found<T> {
  readonly node: Node<T>;
  readonly pathParameters: Readonly<Record<string, string>>;
}

function resourceAt<T>(root: Node<T>, segments: readonly string[]): Found<T> | undefined {
  const pathParameters: Record<string, string> = {};
  let node = root;
  let greedy = greedyAt(root, segments, {});
  for (const [at, segment] of segments.entries()) {
    const literal = node.literals.get(segment);
    const value = decodePercent(segment);
    if (literal) node = literal;
    else if (node.parameter && segment !== '' && value !== undefined) {
      pathParameters[node.parameter.name] = value;
      node = node.parameter.node;
    } else return greedy;
    greedy = greedyAt(node, segments.slice(at + 1), pathParameters) ?? greedy;
  }
  return { node, pathParameters };
}

function greedyAt<T>(
  { greedy }: Node<T>,
  rest: readonly string[],
  pathParameters: Found<T>['pathParameters'],
): Found<T> | undefined {
  const value = decodePercent(rest.join('/'));
  if (!greedy || value === undefined || value === '') return undefined;
  return { node: greedy.node, pathParameters: { ...pathParameters, [greedy.name]: value } };
}
