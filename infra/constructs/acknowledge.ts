import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Suppresses one rule of cdk-nag on one construct, with a reason. */
export function acknowledge(construct: IConstruct, rule: `AwsSolutions-${string}`, reason: string): void {
  Validations.of(construct).acknowledge({ id: rule, reason });
}
