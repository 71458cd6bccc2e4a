import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';

/**
 * Days between the request to delete a key and its deletion, which can be cancelled until then. This is the maximum
 * that KMS allows.
 */
const PENDING_DAYS = 30;

export interface SigningKeysProps {
  readonly environment: Environment;
  /** One key is created for each name. */
  readonly names: readonly string[];
}

/** §5.3 The keys that sign access tokens. They never leave KMS, and only the function that signs may use them. */
export class SigningKeysConstruct extends Construct {
  readonly statements: readonly PolicyStatement[];
  readonly variables: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, { environment, names }: SigningKeysProps) {
    super(scope, id);
    const arns = names.map((name) => {
      const key = new Key(this, name, {
        description: `Rundown ${environment.name}: signs access tokens (${name})`,
        keySpec: KeySpec.ECC_NIST_P256,
        keyUsage: KeyUsage.SIGN_VERIFY,
        pendingWindow: Duration.days(PENDING_DAYS),
        removalPolicy: RemovalPolicy.DESTROY,
      });
      return key.keyArn;
    });
    this.statements = [new PolicyStatement({ actions: ['kms:GetPublicKey', 'kms:Sign'], resources: arns })];
    this.variables = { [ENVIRONMENT.signingKeys]: arns.join(',') };
  }
}
