/** Resolves the intrinsic functions of CloudFormation that the template uses. */

/** Resolves references to a stack's resources, parameters and pseudo parameters. */
export interface References {
  ref(name: string): unknown;
  attribute(logicalId: string, attribute: string): unknown;
}

/** The value of `Ref: AWS::NoValue`, which omits the property. */
export const NO_VALUE = Symbol('AWS::NoValue');

const INTRINSICS: Readonly<Record<string, (argument: unknown, scope: References) => unknown>> = {
  Ref: (name, scope) => scope.ref(toText(name, 'Ref')),
  'Fn::GetAtt': (argument, scope) => {
    const path = typeof argument === 'string' ? argument.split('.') : toTexts(argument, 'Fn::GetAtt');
    const [logicalId, ...attribute] = path;
    return scope.attribute(toText(logicalId, 'Fn::GetAtt'), attribute.join('.'));
  },
  'Fn::Join': (argument, scope) => {
    const [delimiter, parts] = toPair(argument, 'Fn::Join');
    return toTexts(resolve(parts, scope), 'Fn::Join').join(toText(delimiter, 'Fn::Join'));
  },
  'Fn::Select': (argument, scope) => {
    const [index, from] = toPair(argument, 'Fn::Select');
    const entry = toList(resolve(from, scope), 'Fn::Select')[Number(resolve(index, scope))];
    if (entry === undefined) throw new Error(`Fn::Select finds nothing at ${JSON.stringify(argument)}`);
    return entry;
  },
  'Fn::Split': (argument, scope) => {
    const [delimiter, from] = toPair(argument, 'Fn::Split');
    return toText(resolve(from, scope), 'Fn::Split').split(toText(delimiter, 'Fn::Split'));
  },
  'Fn::Sub': substitute,
};

/** Throws if an intrinsic function is not supported, and names it in the error. */
export function resolve(value: unknown, scope: References): unknown {
  if (Array.isArray(value)) return value.map((entry) => resolve(entry, scope)).filter((entry) => entry !== NO_VALUE);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [first, ...others] = entries;
  if (first !== undefined && others.length === 0 && isIntrinsic(first[0])) {
    const [name, argument] = first;
    const intrinsic = INTRINSICS[name];
    if (intrinsic) return intrinsic(argument, scope);
    throw new Error(
      `The template uses ${name}, which the local runner does not support: add it to infra/local/template/intrinsics.ts`,
    );
  }
  const resolvedEntries = entries.map(([key, entry]) => [key, resolve(entry, scope)] as const);
  return Object.fromEntries(resolvedEntries.filter(([, entry]) => entry !== NO_VALUE));
}

const isIntrinsic = (key: string): boolean => key === 'Ref' || key === 'Condition' || key.startsWith('Fn::');

function substitute(argument: unknown, scope: References): string {
  const [pattern, substitutions] = Array.isArray(argument) ? argument : [argument, {}];
  const values = new Map(Object.entries(resolve(substitutions, scope) ?? {}));
  return toText(pattern, 'Fn::Sub').replaceAll(/\$\{([^{}]+)\}/g, (_, name: string) => {
    // "${!Literal}" is an escaped "${Literal}".
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    const [logicalId, ...attribute] = name.split('.');
    const user = `Fn::Sub of \${${name}}`;
    if (values.has(name)) return toText(values.get(name), user);
    if (attribute.length === 0) return toText(scope.ref(name), user);
    return toText(scope.attribute(toText(logicalId, 'Fn::Sub'), attribute.join('.')), user);
  });
}

function toList(value: unknown, user: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${user} needs a list, but got ${JSON.stringify(value)}`);
}

const toTexts = (value: unknown, user: string): string[] => toList(value, user).map((entry) => toText(entry, user));

function toPair(value: unknown, user: string): [unknown, unknown] {
  const [first, second] = toList(value, user);
  return [first, second];
}

function toText(value: unknown, user: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`${user} needs a string, but got ${JSON.stringify(value)}`);
}
