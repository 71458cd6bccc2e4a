import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { RundownFunctionProps } from './rundown-function.ts';

/** The maximum of KMS. Until then, the deletion of a key can be cancelled. */
const PENDING_DAYS = 30;

/** §5.3 The keys never leave KMS. Returns what the function that signs needs, which alone may use them. */
export function addSigningKeys(
  scope: Construct,
  { name: environment }: Environment,
  names: readonly string[],
): Pick<RundownFunctionProps, 'statements' | 'variables'> {
  const construct = new Construct(scope, 'SigningKeys');
  const arns = names.map(
    (name) =>
      new Key(construct, name, {
        description: `Rundown ${environment}: signs access tokens (${name})`,
        keySpec: KeySpec.ECC_NIST_P256,
        keyUsage: KeyUsage.SIGN_VERIFY,
        pendingWindow: Duration.days(PENDING_DAYS),
        removalPolicy: RemovalPolicy.DESTROY,
      }).keyArn,
  );
  return {
    statements: [new PolicyStatement({ actions: ['kms:GetPublicKey', 'kms:Sign'], resources: arns })],
    variables: { [ENVIRONMENT.signingKeys]: arns.join(',') },
  };
}
