/** RFC 7644, 3.9: which attributes of a resource a client wants. */

export interface Projection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

const splitNames = (names: string): Set<string> => new Set(names.split(',').map(toAttributeName));

/** Such as `name` for `urn:ietf:params:scim:schemas:core:2.0:User:name.givenName`. In lower case. */
function toAttributeName(name: string): string {
  const [attribute = ''] = name.slice(name.lastIndexOf(':') + 1).split('.');
  return attribute.trim().toLowerCase();
}

export function isWanted(name: string, { attributes, excludedAttributes }: Projection): boolean {
  if (attributes?.trim()) return splitNames(attributes).has(name.toLowerCase());
  return excludedAttributes === undefined || !splitNames(excludedAttributes).has(name.toLowerCase());
}

const ALWAYS = new Set(['schemas', 'id', 'meta']);

export const project = (resource: object, projection: Projection): object =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => ALWAYS.has(name) || isWanted(name, projection)));
