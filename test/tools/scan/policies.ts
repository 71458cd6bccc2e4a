/** The identity policies of a cloud assembly, with references resolved to ARNs. */
import * as z from 'zod';
import { loadAssembly } from '#infra/local/template/assembly.ts';
import { Stack } from '#infra/local/template/stack.ts';

interface Policy {
  readonly name: string;
  readonly document: unknown;
}

const Inline = z.array(z.object({ PolicyName: z.string(), PolicyDocument: z.unknown() })).default([]);

export async function listPolicies(assembly: string): Promise<readonly Policy[]> {
  const stack = await Stack.load(await loadAssembly(assembly), { tableName: 'rundown', bucketName: 'rundown' });
  const inline = stack.resources('AWS::IAM::Role').flatMap((role) =>
    Inline.parse(role.property('Policies')).map(({ PolicyName, PolicyDocument }) => ({
      name: `${role.logicalId}-${PolicyName}`,
      document: PolicyDocument,
    })),
  );
  const others = ['AWS::IAM::ManagedPolicy', 'AWS::IAM::Policy'].flatMap((type) =>
    stack.resources(type).map((policy) => ({ name: policy.logicalId, document: policy.property('PolicyDocument') })),
  );
  return [...inline, ...others];
}
