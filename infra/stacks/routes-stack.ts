import { NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Bundles, bundleOf } from '#infra/build/bundle.ts';
import type { DeclaredRoutes } from '#infra/build/declarations.ts';
import { REQUEST_TIMEOUT_SECONDS, RundownFunction, type Surroundings } from '#infra/constructs/rundown-function.ts';
import { SigningKeysConstruct } from '#infra/constructs/signing-keys.ts';
import type { GatewayStack } from './gateway-stack.ts';

export interface RoutesStackProps extends Surroundings {
  readonly routeFunctions: readonly DeclaredRoutes[];
  readonly bundles: Bundles;
  readonly gateway: GatewayStack;
  /** The names of the keys that sign access tokens. */
  readonly signingKeys: readonly string[];
}

/** The functions that handle several routes themselves. */
export class RoutesStack extends NestedStack {
  constructor(scope: Construct, id: string, props: RoutesStackProps) {
    super(scope, id);
    const { routeFunctions, bundles, gateway, signingKeys: names, ...surroundings } = props;
    const { environment } = surroundings;
    const signs = routeFunctions.some(({ declaration }) => declaration.signs);
    const keys = signs ? new SigningKeysConstruct(this, 'SigningKeys', { environment, names }) : undefined;
    for (const { file, declaration } of routeFunctions) {
      const { name, access, summary, memoryMegabytes } = declaration;
      const { statements = [], variables = {} } = declaration.signs && keys ? keys : {};
      new RundownFunction(this, name, {
        ...surroundings,
        name,
        bundle: bundleOf(bundles, file),
        access,
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        memoryMegabytes,
        statements,
        variables,
        sourceArn: gateway.anyMethodArn(),
        errors: { harm: `Clients of the function ${name} (${summary}) get 5xx responses.` },
      });
    }
  }
}
