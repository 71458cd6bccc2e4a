/** The policy statements of a function's role, from inline and managed policies, and the patterns in policies. */
import * as z from 'zod';
import type { Stack, StackResource } from './stack.ts';

export const textOrTexts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

/** Whether a value matches an IAM pattern. `*` matches any characters including slashes, `?` matches exactly one. */
export function isLike(value: string, pattern: string): boolean {
  let at = 0;
  let read = 0;
  // Backtracking: after a mismatch, the last `*` is extended by one character.
  let retry: { readonly at: number; readonly read: number } | undefined;
  while (read < value.length) {
    if (pattern[at] === '*') {
      at += 1;
      retry = { at, read };
    } else if (pattern[at] === '?' || pattern[at] === value[read]) {
      at += 1;
      read += 1;
    } else if (retry) {
      retry = { at: retry.at, read: retry.read + 1 };
      ({ at, read } = retry);
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
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
