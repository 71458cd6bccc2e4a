/** DynamoDB expressions as data. Names and values always become placeholders, never part of the expression text. */
type Value = string | number | boolean | null | object;

/** `['results', 'ab12']` is the entry `ab12` of the map attribute `results`. */
type Path = string | readonly [string, string];

export type Condition =
  | { readonly absent: Path }
  | { readonly present: Path }
  | { readonly path: Path; readonly equals: Value }
  | { readonly path: Path; readonly oneOf: readonly Value[] }
  | { readonly path: Path; readonly atMost: number | string }
  | { readonly path: Path; readonly atLeast: number }
  /** Holds for texts only. */
  | { readonly path: Path; readonly beginsWith: string }
  /** Holds if a list contains this element, or a text contains this text. */
  | { readonly path: Path; readonly contains: Value }
  /** Holds if the map has fewer entries than this. */
  | { readonly path: Path; readonly fewerEntriesThan: number }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  /** Negates a condition. A negated comparison also holds if the attribute is absent. */
  | { readonly not: Condition };

export interface Changes {
  readonly set?: readonly (readonly [Path, Value])[];
  readonly setIfAbsent?: readonly (readonly [Path, Value])[];
  readonly add?: readonly (readonly [Path, number])[];
  readonly append?: readonly (readonly [Path, readonly Value[]])[];
  readonly remove?: readonly Path[];
}

const isValue = (value: unknown): value is Value =>
  value === null || ['string', 'number', 'boolean', 'object'].includes(typeof value);

/** Members that are `undefined` are left out. */
export const toAssignments = (members: object): (readonly [string, Value])[] =>
  Object.entries(members).flatMap(([name, value]) => (isValue(value) ? [[name, value] as const] : []));

/** Holds if the attribute has this value, or is absent if the value is `undefined`. */
export const expectValue = (path: Path, value: Value | undefined): Condition =>
  value === undefined ? { absent: path } : { path, equals: value };

/** Holds if these attributes still have the values that were read, or are still absent. */
export const expectSameValues = <Name extends string>(
  read: { readonly [Each in NoInfer<Name>]?: Value | undefined },
  ...names: readonly Name[]
): Condition => ({ all: names.map((name) => expectValue(name, read[name])) });

/** The types of the AWS SDK require all members, even if they are `undefined`. */
export interface Expression {
  readonly UpdateExpression: string | undefined;
  readonly ConditionExpression: string | undefined;
  readonly ExpressionAttributeNames: Record<string, string> | undefined;
  readonly ExpressionAttributeValues: Record<string, Value> | undefined;
}

class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, Value> = {};

  name(path: Path): string {
    return (typeof path === 'string' ? [path] : path).map((part) => this.#placeholder(part)).join('.');
  }

  value(value: Value): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  #placeholder(name: string): string {
    const entry = Object.entries(this.names).find(([, one]) => one === name);
    if (entry) return entry[0];
    const placeholder = `#n${Object.keys(this.names).length}`;
    this.names[placeholder] = name;
    return placeholder;
  }
}

function formatCondition(condition: Condition, to: Placeholders): string {
  if ('absent' in condition) return `attribute_not_exists(${to.name(condition.absent)})`;
  if ('present' in condition) return `attribute_exists(${to.name(condition.present)})`;
  if ('all' in condition) return joinConditions(condition.all, 'AND', to);
  if ('any' in condition) return joinConditions(condition.any, 'OR', to);
  if ('not' in condition) return `NOT ${formatCondition(condition.not, to)}`;
  if ('equals' in condition) return `${to.name(condition.path)} = ${to.value(condition.equals)}`;
  if ('atMost' in condition) return `${to.name(condition.path)} <= ${to.value(condition.atMost)}`;
  if ('atLeast' in condition) return `${to.name(condition.path)} >= ${to.value(condition.atLeast)}`;
  if ('beginsWith' in condition) return `begins_with(${to.name(condition.path)}, ${to.value(condition.beginsWith)})`;
  if ('contains' in condition) return `contains(${to.name(condition.path)}, ${to.value(condition.contains)})`;
  if ('fewerEntriesThan' in condition)
    return `size(${to.name(condition.path)}) < ${to.value(condition.fewerEntriesThan)}`;
  return `${to.name(condition.path)} IN (${condition.oneOf.map((value) => to.value(value)).join(', ')})`;
}

/** DynamoDB refuses parentheses around a single condition. */
function joinConditions(conditions: readonly Condition[], operator: 'AND' | 'OR', to: Placeholders): string {
  const parts = conditions.map((condition) => formatCondition(condition, to));
  return parts.length === 1 ? parts.join() : `(${parts.join(` ${operator} `)})`;
}

/** `undefined` if nothing changes. */
function formatUpdate(changes: Changes, to: Placeholders): string | undefined {
  const set = [
    ...(changes.set ?? []).map(([path, value]) => `${to.name(path)} = ${to.value(value)}`),
    ...(changes.setIfAbsent ?? []).map(
      ([path, value]) => `${to.name(path)} = if_not_exists(${to.name(path)}, ${to.value(value)})`,
    ),
    ...(changes.append ?? []).map(
      ([path, values]) =>
        `${to.name(path)} = list_append(if_not_exists(${to.name(path)}, ${to.value([])}), ${to.value(values)})`,
    ),
  ];
  const add = (changes.add ?? []).map(([path, amount]) => `${to.name(path)} ${to.value(amount)}`);
  const remove = (changes.remove ?? []).map((path) => to.name(path));
  const clauses: string[] = [];
  if (set.length > 0) clauses.push(`SET ${set.join(', ')}`);
  if (add.length > 0) clauses.push(`ADD ${add.join(', ')}`);
  if (remove.length > 0) clauses.push(`REMOVE ${remove.join(', ')}`);
  return clauses.length > 0 ? clauses.join(' ') : undefined;
}

/** A query whose database returns only the rows that meet the condition. It reads and pays for the others as well. */
export function buildFilter(filter: Condition) {
  const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = buildExpression(
    undefined,
    filter,
  );
  return { FilterExpression: ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues };
}

export function buildExpression(changes: Changes | undefined, condition: Condition | undefined): Expression {
  const to = new Placeholders();
  return {
    UpdateExpression: changes && formatUpdate(changes, to),
    ConditionExpression: condition && formatCondition(condition, to),
    ExpressionAttributeNames: Object.keys(to.names).length > 0 ? to.names : undefined,
    ExpressionAttributeValues: Object.keys(to.values).length > 0 ? to.values : undefined,
  };
}
