/** Reads the policies of a template. */
import * as z from 'zod';
import type { Named, Synthesized } from './synthesized.ts';

const Statement = z.object({
  Effect: z.string(),
  Action: z.union([z.string(), z.array(z.string())]).transform((action) => [action].flat()),
  Principal: z.unknown().optional(),
  Resource: z.unknown(),
  Condition: z.unknown().optional(),
});
export const PolicyDocument = z.object({ Statement: z.array(Statement) });

const Role = z.object({
  ManagedPolicyArns: z.array(z.unknown()).default([]),
  Policies: z.array(z.object({ PolicyDocument })).default([]),
});

/** Returns all statements of a function's role, from the policies of the role itself and from shared policies. */
export function statementsOf(template: Synthesized, fn: Named): z.infer<typeof Statement>[] {
  const role = Role.parse(template.target(fn.Properties.Role).Properties);
  const shared = role.ManagedPolicyArns.map((arn) =>
    PolicyDocument.parse(template.target(arn).Properties.PolicyDocument),
  );
  return [...shared, ...role.Policies.map((own) => own.PolicyDocument)].flatMap((document) => document.Statement);
}
