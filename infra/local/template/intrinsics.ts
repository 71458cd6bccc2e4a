/** The CloudFormation intrinsic functions that the template uses. */

/** Resolves references to a stack's resources, parameters and pseudo parameters. */
export interface References {
  ref(name: string): unknown;
  attribute(logicalId: string, attribute: string): unknown;
}

/** The value of `Ref: AWS::NoValue`, which omits the property. */
export const NO_VALUE = Symbol('AWS::NoValue');

type Intrinsic = (argument: unknown, scope: References) => unknown;

const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, scope) => scope.ref(text(name, 'Ref')),
  'Fn::GetAtt': (argument, scope) => getAtt(argument, scope),
  'Fn::Join': (argument, scope) => {
    const [delimiter, parts] = pair(argument, 'Fn::Join');
    return texts(resolve(parts, scope), 'Fn::Join').join(text(delimiter, 'Fn::Join'));
  },
  'Fn::Select': (argument, scope) => {
    const [index, from] = pair(argument, 'Fn::Select');
    const chosen = list(resolve(from, scope), 'Fn::Select')[Number(resolve(index, scope))];
    if (chosen === undefined) throw new Error(`Fn::Select finds nothing at ${JSON.stringify(argument)}`);
    return chosen;
  },
  'Fn::Split': (argument, scope) => {
    const [delimiter, from] = pair(argument, 'Fn::Split');
    return text(resolve(from, scope), 'Fn::Split').split(text(delimiter, 'Fn::Split'));
  },
  'Fn::Sub': (argument, scope) => substitute(argument, scope),
};

/** Evaluates every intrinsic function of a value. Throws on an unsupported one and names it. */
export function resolve(value: unknown, scope: References): unknown {
  if (Array.isArray(value)) return value.map((entry) => resolve(entry, scope)).filter((entry) => entry !== NO_VALUE);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined && isIntrinsic(first[0])) return evaluate(first[0], first[1], scope);
  const resolved = entries.map(([key, entry]) => [key, resolve(entry, scope)] as const);
  return Object.fromEntries(resolved.filter(([, entry]) => entry !== NO_VALUE));
}

const isIntrinsic = (key: string): boolean => key === 'Ref' || key === 'Condition' || key.startsWith('Fn::');

function evaluate(name: string, argument: unknown, scope: References): unknown {
  const intrinsic = INTRINSICS[name];
  if (intrinsic) return intrinsic(argument, scope);
  throw new Error(`The template uses ${name}, which the local runner does not support: add it to INTRINSICS`);
}

function getAtt(argument: unknown, scope: References): unknown {
  const [logicalId, ...attribute] = typeof argument === 'string' ? argument.split('.') : texts(argument, 'Fn::GetAtt');
  return scope.attribute(text(logicalId, 'Fn::GetAtt'), attribute.join('.'));
}

function substitute(argument: unknown, scope: References): string {
  const [pattern, given] = Array.isArray(argument) ? argument : [argument, {}];
  const values = new Map(Object.entries(resolve(given, scope) ?? {}));
  return text(pattern, 'Fn::Sub').replaceAll(/\$\{([^{}]+)\}/g, (_, name: string) => {
    // "${!Literal}" is an escaped "${Literal}".
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    const [logicalId, ...attribute] = name.split('.');
    const value = values.has(name)
      ? values.get(name)
      : attribute.length > 0
        ? scope.attribute(text(logicalId, 'Fn::Sub'), attribute.join('.'))
        : scope.ref(name);
    return text(value, `Fn::Sub of \${${name}}`);
  });
}

function list(value: unknown, user: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${user} needs a list, got ${JSON.stringify(value)}`);
}

const texts = (value: unknown, user: string): string[] => list(value, user).map((entry) => text(entry, user));

function pair(value: unknown, user: string): [unknown, unknown] {
  const [first, second] = list(value, user);
  return [first, second];
}

function text(value: unknown, user: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`${user} needs a string, got ${JSON.stringify(value)}`);
}
