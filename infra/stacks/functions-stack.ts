import { NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Bundles, bundleOf } from '#infra/build/bundle.ts';
import type { DeclaredEndpoint } from '#infra/build/declarations.ts';
import { REQUEST_TIMEOUT_SECONDS, RundownFunction, type Surroundings } from '#infra/constructs/rundown-function.ts';
import type { GatewayStack } from './gateway-stack.ts';

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
      const { operationId, method, path, alias, access, summary } = declaration;
      new RundownFunction(this, operationId, {
        ...surroundings,
        name: operationId,
        bundle: bundleOf(bundles, file),
        access,
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        sourceArn: gateway.methodArn(method, path),
        ...(alias === undefined ? {} : { aliasArn: gateway.methodArn(method, alias) }),
        errors: { harm: `Clients of ${method} ${path} (${summary}) get 5xx responses.` },
      });
    }
  }
}
