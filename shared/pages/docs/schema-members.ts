/** What the reference says of a JSON schema: its members, and the types of their values. */
import { Alternatives, EnumValues, Properties, type Reference, Schema, Text, Texts } from './reference-wire.ts';

/** A member of a JSON document, as a row of a table. */
export interface Member {
  /** The path to the member, such as `groups[].name`. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** Nested members are listed to this depth. Deeper ones appear only in examples. */
const DEPTH = 3;

export function listSchemaMembers(reference: Reference, schema: Schema, path = '', depth = DEPTH): Member[] {
  const { object, suffix } = resolveObject(reference, schema);
  if (!object || depth === 0) return [];
  const requiredNames = new Set(Texts.parse(object['required']));
  const properties = Properties.parse(object['properties']);
  const start = path === '' ? '' : `${path}${suffix}.`;
  return Object.entries(properties).flatMap(([name, memberSchema]) => [
    {
      name: start + name,
      type: formatSchemaType(reference, memberSchema),
      isRequired: requiredNames.has(name),
      description: Text.parse(memberSchema['description'] ?? reference.schemaOf(memberSchema)['description']),
    },
    ...listSchemaMembers(reference, memberSchema, start + name, depth - 1),
  ]);
}

/** The object that a schema describes, or the object that its list contains. `suffix` is `[]` for a list. */
function resolveObject(
  reference: Reference,
  schema: Schema,
): { readonly object: Schema | undefined; readonly suffix: string } {
  const resolvedSchema = reference.schemaOf(schema);
  if (resolvedSchema['properties'] !== undefined) return { object: resolvedSchema, suffix: '' };
  const items = Schema.safeParse(resolvedSchema['items']);
  if (items.success) {
    const { object, suffix } = resolveObject(reference, items.data);
    return { object, suffix: `[]${suffix}` };
  }
  const first = listAlternatives(resolvedSchema).find((one) => one['type'] !== 'null');
  return first ? resolveObject(reference, first) : { object: undefined, suffix: '' };
}

const listAlternatives = (schema: Schema): Schema[] => Alternatives.parse(schema['anyOf'] ?? schema['oneOf']);

/** The type of a value, such as `text, at most 256 characters`. */
export function formatSchemaType(reference: Reference, schema: Schema): string {
  const resolvedSchema = reference.schemaOf(schema);
  const alternatives = listAlternatives(resolvedSchema);
  if (alternatives.length > 0)
    return [...new Set(alternatives.map((one) => formatSchemaType(reference, one)))].join(' or ');
  if (resolvedSchema['const'] !== undefined) return JSON.stringify(resolvedSchema['const']);
  const values = EnumValues.safeParse(resolvedSchema['enum']);
  if (values.success) return values.data.join(' | ');
  const types = Texts.parse([resolvedSchema['type']].flat());
  const items = Schema.safeParse(resolvedSchema['items']);
  const typeNames = types.map((type) => {
    if (type === 'array') return items.success ? `list of ${formatSchemaType(reference, items.data)}` : 'list';
    return type === 'string' ? 'text' : type;
  });
  return [typeNames.join(' or ') || 'any value', ...listSchemaLimits(resolvedSchema)].join(', ');
}

function listSchemaLimits(schema: Schema): string[] {
  const { format, minimum, maximum, maxLength, maxItems, default: usual } = schema;
  return [
    format,
    typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER && `at least ${minimum}`,
    typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER && `at most ${maximum}`,
    typeof maxLength === 'number' && `at most ${maxLength} characters`,
    typeof maxItems === 'number' && `at most ${maxItems} elements`,
    usual !== undefined && usual !== null && `default ${JSON.stringify(usual)}`,
  ].filter((text) => typeof text === 'string');
}
