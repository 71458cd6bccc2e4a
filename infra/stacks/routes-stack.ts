import { NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Bundles, bundleOf } from '#infra/build/bundle.ts';
import type { DeclaredRoutes } from '#infra/build/declarations.ts';
import { REQUEST_TIMEOUT_SECONDS, RundownFunction, type Surroundings } from '#infra/constructs/rundown-function.ts';
import type { GatewayStack } from './gateway-stack.ts';

export interface RoutesStackProps extends Surroundings {
  readonly routeFunctions: readonly DeclaredRoutes[];
  readonly bundles: Bundles;
  readonly gateway: GatewayStack;
}

/** The functions that answer several routes by themselves. */
export class RoutesStack extends NestedStack {
  constructor(scope: Construct, id: string, { routeFunctions, bundles, gateway, ...surroundings }: RoutesStackProps) {
    super(scope, id);
    for (const { file, declaration } of routeFunctions) {
      const { name, access, summary, memoryMegabytes } = declaration;
      new RundownFunction(this, name, {
        ...surroundings,
        name,
        bundle: bundleOf(bundles, file),
        access,
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        memoryMegabytes,
        sourceArn: gateway.anyMethodArn(),
        errors: { harm: `Clients of the function ${name} (${summary}) get 5xx answers.` },
      });
    }
  }
}
