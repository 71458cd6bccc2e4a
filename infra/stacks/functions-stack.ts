import { NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Bundles, bundleOf } from '../bundle.ts';
import { RundownFunction, type Surroundings } from '../constructs/rundown-function.ts';
import type { DeclaredEndpoint } from '../declarations.ts';
import type { GatewayStack } from './gateway-stack.ts';

/** One second less than the gateway waits, so that the function's own log says that it was cut off. */
const TIMEOUT_SECONDS = 28;

export interface FunctionsStackProps extends Surroundings {
  readonly endpoints: readonly DeclaredEndpoint[];
  readonly bundles: Bundles;
  readonly gateway: GatewayStack;
}

/** One function per endpoint of one folder under `functions/`. */
export class FunctionsStack extends NestedStack {
  constructor(scope: Construct, id: string, { endpoints, bundles, gateway, ...surroundings }: FunctionsStackProps) {
    super(scope, id);
    for (const { file, declaration } of endpoints) {
      const { operationId, method, path, access, summary } = declaration;
      new RundownFunction(this, operationId, {
        ...surroundings,
        name: operationId,
        bundle: bundleOf(bundles, file),
        access,
        timeoutSeconds: TIMEOUT_SECONDS,
        sourceArn: gateway.methodArn(method, path),
        errors: { whoIsHurt: `Callers of ${method} ${path} (${summary}) get 5xx answers.` },
      });
    }
  }
}
