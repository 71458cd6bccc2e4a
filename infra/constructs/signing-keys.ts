import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { RundownFunctionProps } from './rundown-function.ts';

/**
 * Days between the request to delete a key and its deletion, which can be cancelled until then. This is the maximum
 * that KMS allows.
 */
const PENDING_DAYS = 30;

/**
 * §5.3 The keys that sign access tokens, one for each name. They never leave KMS, and only the function that signs may
 * use them. Returns what that function needs.
 */
export function addSigningKeys(
  scope: Construct,
  { name: environment }: Environment,
  names: readonly string[],
): Pick<RundownFunctionProps, 'statements' | 'variables'> {
  const own = new Construct(scope, 'SigningKeys');
  const arns = names.map(
    (name) =>
      new Key(own, name, {
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
