import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Silences one rule of cdk-nag on one construct, for a reason that a reader can judge. */
export function acknowledge(construct: IConstruct, rule: `AwsSolutions-${string}`, reason: string): void {
  Validations.of(construct).acknowledge({ id: rule, reason });
}
