/** A function's permissions for the table, read from the template and evaluated as IAM does. */
import * as z from 'zod';
import { statementsAbout, textOrTexts } from '#infra/local/template/role-statements.ts';
import type { Stack, StackResource } from '#infra/local/template/stack.ts';
import type { TableUse } from './table-use.ts';

const Statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: textOrTexts,
  Resource: textOrTexts,
  /** Other condition operators are not supported. */
  Condition: z
    .strictObject({
      'ForAllValues:StringLike': z.strictObject({ 'dynamodb:LeadingKeys': textOrTexts }).optional(),
      'ForAnyValue:StringLike': z.strictObject({ 'dynamodb:LeadingKeys': textOrTexts }).optional(),
    })
    .default({}),
});
type Statement = z.infer<typeof Statement>;

/** Returns `undefined` if the role permits this use of the table, else an error message. */
export type Refuse = (use: TableUse) => string | undefined;

export function refusalsFor(stack: Stack, fn: StackResource, tableArn: string): Refuse {
  const statements = statementsAbout('dynamodb', stack, fn).map((statement) => Statement.parse(statement));
  const matching = statements.filter(({ Resource }) => Resource.includes(tableArn));
  return ({ action, keys }) => {
    const found = matching.filter((one) => one.Action.includes(action) && holds(one, keys));
    const denied = found.some(({ Effect }) => Effect === 'Deny');
    if (!denied && found.some(({ Effect }) => Effect === 'Allow')) return undefined;
    const why = denied ? 'with an explicit deny' : 'because no statement allows it';
    const rows = keys.map((key) => key.split('#')[0]).join(', ');
    return `${fn.reference} is not authorized to perform ${action} on rows of ${rows}, ${why}: add them to its declaration`;
  };
}

function holds({ Condition }: Statement, keys: readonly string[]): boolean {
  const every = Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  const some = Condition['ForAnyValue:StringLike']?.['dynamodb:LeadingKeys'];
  if (every && !keys.every((key) => every.some((pattern) => isLike(key, pattern)))) return false;
  return !some || keys.some((key) => some.some((pattern) => isLike(key, pattern)));
}

/** Whether a key matches a pattern. The template uses `*` only at the end. */
const isLike = (key: string, pattern: string): boolean =>
  pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
