/** A function's permissions for the table, read from the template and evaluated as IAM does. */
import * as z from 'zod';
import { isLike, listServiceStatements, textOrTexts } from '#infra/local/template/role-statements.ts';
import type { Stack, StackResource } from '#infra/local/template/stack.ts';
import type { TableUse } from './table-uses.ts';

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

/** Returns `undefined` if the role permits this use of the table, and an error message otherwise. */
export type FindRefusal = (use: TableUse) => string | undefined;

export function makePermissionCheck(stack: Stack, fn: StackResource, tableArn: string): FindRefusal {
  const statements = listServiceStatements('dynamodb', stack, fn).map((statement) => Statement.parse(statement));
  const tableStatements = statements.filter(({ Resource }) => Resource.includes(tableArn));
  return ({ action, keys }) => {
    const applicableStatements = tableStatements.filter(
      (one) => one.Action.includes(action) && isConditionMet(one, keys),
    );
    const isDenied = applicableStatements.some(({ Effect }) => Effect === 'Deny');
    if (!isDenied && applicableStatements.some(({ Effect }) => Effect === 'Allow')) return undefined;
    const why = isDenied ? 'with an explicit deny' : 'because no statement allows it';
    const rows = keys.map((key) => key.split('#')[0]).join(', ');
    return `${fn.reference} is not authorized to perform ${action} on rows of ${rows}, ${why}: add the rows to the access in its declaration`;
  };
}

function isConditionMet({ Condition }: Statement, keys: readonly string[]): boolean {
  const every = Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  const some = Condition['ForAnyValue:StringLike']?.['dynamodb:LeadingKeys'];
  if (every && !keys.every((key) => every.some((pattern) => isLike(key, pattern)))) return false;
  return !some || keys.some((key) => some.some((pattern) => isLike(key, pattern)));
}
