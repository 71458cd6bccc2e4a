import { NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Bundles, bundleOf } from '#infra/build/bundle.ts';
import { accessOf, type PageFunction } from '#infra/build/page-functions.ts';
import { REQUEST_TIMEOUT_SECONDS, RundownFunction, type Surroundings } from '#infra/constructs/rundown-function.ts';
import type { GatewayStack } from './gateway-stack.ts';

export interface PagesStackProps extends Surroundings {
  readonly pageFunctions: readonly PageFunction[];
  readonly bundles: Bundles;
  readonly gateway: GatewayStack;
}

/** One function per folder of pages, so that browsing meets one cold start instead of one per page. */
export class PagesStack extends NestedStack {
  constructor(scope: Construct, id: string, { pageFunctions, bundles, gateway, ...surroundings }: PagesStackProps) {
    super(scope, id);
    for (const pageFunction of pageFunctions) {
      const { name, folder } = pageFunction;
      new RundownFunction(this, name, {
        ...surroundings,
        name,
        bundle: bundleOf(bundles, folder),
        access: accessOf(pageFunction),
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        sourceArn: gateway.anyMethodArn(),
        errors: { harm: `People get error pages from functions/${folder}.` },
      });
    }
  }
}
