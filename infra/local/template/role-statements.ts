/** The policy statements of a function's role, from inline and managed policies, and the patterns in policies. */
import * as z from 'zod';
import type { Stack, StackResource } from './stack.ts';

export const textOrTexts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

/** Whether a value matches an IAM pattern. `*` matches any characters including slashes, `?` matches exactly one. */
export function isLike(value: string, pattern: string): boolean {
  let patternIndex = 0;
  let valueIndex = 0;
  /** Where to continue after a mismatch: behind the last `*`, which then matches one more character. */
  let retry: { readonly patternIndex: number; readonly valueIndex: number } | undefined;
  while (valueIndex < value.length) {
    const symbol = pattern[patternIndex];
    if (symbol === '*') {
      patternIndex += 1;
      retry = { patternIndex, valueIndex };
    } else if (symbol === '?' || symbol === value[valueIndex]) {
      patternIndex += 1;
      valueIndex += 1;
    } else if (retry) {
      retry = { patternIndex: retry.patternIndex, valueIndex: retry.valueIndex + 1 };
      ({ patternIndex, valueIndex } = retry);
    } else return false;
  }
  while (pattern[patternIndex] === '*') patternIndex += 1;
  return patternIndex === pattern.length;
}

const PolicyDocument = z.object({ Statement: z.array(z.unknown()) });
const Policies = z.array(z.object({ PolicyDocument }));
const WithActions = z.object({ Action: textOrTexts });

/** Returns the statements with an action of this service, such as `dynamodb`. */
export function listServiceStatements(service: string, stack: Stack, fn: StackResource): unknown[] {
  const roles = stack.resources('AWS::IAM::Role');
  const role = roles.find((candidate) => candidate.attribute('Arn') === fn.property('Role'));
  if (!role) throw new Error(`The function ${fn.reference} has no role in the template`);
  const inlineDocuments = Policies.parse(role.property('Policies') ?? []).map((policy) => policy.PolicyDocument);
  const managedPolicyArns = z.array(z.string()).parse(role.property('ManagedPolicyArns') ?? []);
  const managedDocuments = stack
    .resources('AWS::IAM::ManagedPolicy')
    .filter((policy) => managedPolicyArns.includes(policy.reference))
    .map((policy) => PolicyDocument.parse(policy.property('PolicyDocument')));
  const statements = [...inlineDocuments, ...managedDocuments].flatMap(({ Statement }) => Statement);
  return statements.filter((statement) => {
    const actions = WithActions.safeParse(statement).data?.Action ?? [];
    return actions.some((action) => action.startsWith(`${service}:`));
  });
}
