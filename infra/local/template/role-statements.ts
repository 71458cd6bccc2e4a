/** The policy statements of a function's role, from inline and managed policies. */
import * as z from 'zod';
import type { Stack, StackResource } from './stack.ts';

export const textOrTexts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

const PolicyDocument = z.object({ Statement: z.array(z.unknown()) });
const Policies = z.array(z.object({ PolicyDocument })).default([]);
const WithActions = z.object({ Action: textOrTexts });
const Arns = z.array(z.string()).default([]);

/** Returns the statements with an action of this service, such as `dynamodb`. */
export function statementsAbout(service: string, stack: Stack, fn: StackResource): unknown[] {
  const roles = stack.resources('AWS::IAM::Role');
  const role = roles.find((candidate) => candidate.attribute('Arn') === fn.property('Role'));
  if (!role) throw new Error(`The function ${fn.reference} has no role in the template`);
  const statements = documentsOf(stack, role).flatMap((document) => PolicyDocument.parse(document).Statement);
  return statements.filter((statement) => {
    const actions = WithActions.safeParse(statement).data?.Action ?? [];
    return actions.some((action) => action.startsWith(`${service}:`));
  });
}

function documentsOf(stack: Stack, role: StackResource): unknown[] {
  const own = Policies.parse(role.property('Policies') ?? []).map((policy) => policy.PolicyDocument);
  const attached = Arns.parse(role.property('ManagedPolicyArns') ?? []);
  const shared = stack
    .resources('AWS::IAM::ManagedPolicy')
    .filter((policy) => attached.includes(policy.reference))
    .map((policy) => policy.property('PolicyDocument'));
  return [...own, ...shared];
}
