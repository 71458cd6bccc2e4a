/** The functions that answer requests: those of endpoints, of pages, and of several routes each. */

import { NestedStack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { DeclaredEndpoint, DeclaredRoutes } from '#infra/build/declarations.ts';
import { derivePageAccess, type PageFunction } from '#infra/build/page-functions.ts';
import { REQUEST_TIMEOUT_SECONDS, RundownFunction } from '#infra/constructs/rundown-function.ts';
import { addSigningKeys } from '#infra/constructs/signing-keys.ts';
import type { Surroundings } from '#infra/constructs/surroundings.ts';
import { countUsedMonths } from '#infra/constructs/usage-alarms.ts';
import { WARM_FUNCTIONS } from '#infra/constructs/warm-functions.ts';
import { answersHead } from './api-routes.ts';
import type { GatewayStack } from './gateway-stack.ts';
import type { Settings } from './settings.ts';

interface BehindGateway extends Surroundings {
  readonly settings: Settings;
  readonly gateway: GatewayStack;
}

interface FunctionsStackProps extends BehindGateway {
  readonly endpoints: readonly DeclaredEndpoint[];
}

/** One function per endpoint of one folder under `functions/`. */
export class FunctionsStack extends NestedStack {
  constructor(scope: Construct, id: string, { endpoints, gateway, ...surroundings }: FunctionsStackProps) {
    super(scope, id);
    for (const { file, declaration } of endpoints) {
      const { operationId, method, path, alias, access, credential } = declaration;
      const { logGroup } = new RundownFunction(this, operationId, {
        ...surroundings,
        name: operationId,
        file,
        access,
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        isWarm: WARM_FUNCTIONS.includes(operationId),
        sourceArn: gateway.methodArn(answersHead(method, path) ? '*' : method, path),
        aliasArn: alias === undefined ? undefined : gateway.methodArn(answersHead(method, alias) ? '*' : method, alias),
      });
      if (credential === 'body') countUsedMonths(new Construct(this, `${operationId}Usage`), surroundings, logGroup);
    }
  }
}

interface PagesStackProps extends BehindGateway {
  readonly pageFunctions: readonly PageFunction[];
}

/** The functions that each serve many pages, so that a visitor causes few cold starts. */
export class PagesStack extends NestedStack {
  constructor(scope: Construct, id: string, { pageFunctions, gateway, ...surroundings }: PagesStackProps) {
    super(scope, id);
    for (const pageFunction of pageFunctions) {
      const { name, folder } = pageFunction;
      new RundownFunction(this, name, {
        ...surroundings,
        name,
        file: folder,
        access: derivePageAccess(pageFunction),
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        sourceArn: gateway.anyMethodArn(),
      });
    }
  }
}

interface RoutesStackProps extends BehindGateway {
  readonly routeFunctions: readonly DeclaredRoutes[];
}

export class RoutesStack extends NestedStack {
  constructor(scope: Construct, id: string, { routeFunctions, gateway, ...surroundings }: RoutesStackProps) {
    super(scope, id);
    const { environment, settings } = surroundings;
    const keys = routeFunctions.some(({ declaration }) => declaration.signs)
      ? addSigningKeys(this, environment, settings.signingKeys)
      : {};
    for (const { file, declaration } of routeFunctions) {
      const { name, signs } = declaration;
      new RundownFunction(this, name, {
        ...surroundings,
        ...declaration,
        file,
        ...(signs ? keys : {}),
        timeoutSeconds: REQUEST_TIMEOUT_SECONDS,
        sourceArn: gateway.anyMethodArn(),
      });
    }
  }
}
