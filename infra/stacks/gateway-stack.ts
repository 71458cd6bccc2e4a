import { Aws, NestedStack } from 'aws-cdk-lib';
import { CfnGatewayResponse, CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import type { Bundles } from '../bundle.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { apiDefinition, BINARY_MEDIA_TYPES } from '../constructs/api-definition.ts';
import { ApiStage } from '../constructs/api-stage.ts';
import { Authorizer } from '../constructs/authorizer.ts';
import type { Domain } from '../constructs/custom-domain.ts';
import { type GatewayResponse, gatewayResponses, responseTemplate } from '../constructs/gateway-responses.ts';
import type { Surroundings } from '../constructs/rundown-function.ts';
import type { DeclaredEndpoint } from '../declarations.ts';

export interface GatewayStackProps extends Omit<Surroundings, 'publicOrigin'> {
  readonly endpoints: readonly DeclaredEndpoint[];
  readonly bundles: Bundles;
  readonly domain: Domain | undefined;
}

/**
 * The routes, who is let in, and the gateway's own answers. Deployed before the functions, which it knows by name: a
 * new route answers 5xx for the seconds until its function exists, and a removed one is gone before its function is.
 */
export class GatewayStack extends NestedStack {
  readonly apiId: string;
  readonly publicOrigin: string;

  constructor(scope: Construct, id: string, { endpoints, bundles, domain, ...surroundings }: GatewayStackProps) {
    super(scope, id);
    const { environment } = surroundings;
    const api = new CfnRestApi(this, 'Api', {
      name: `rundown-${environment.name}`,
      body: apiDefinition(
        environment,
        endpoints.map(({ declaration }) => declaration),
      ),
      binaryMediaTypes: BINARY_MEDIA_TYPES,
      endpointConfiguration: { types: ['REGIONAL'] },
      // One origin: with a custom domain, the address that API Gateway gives is closed.
      disableExecuteApiEndpoint: domain !== undefined,
    });
    acknowledge(api, 'AwsSolutions-APIG2', WITHOUT_VALIDATORS);
    this.apiId = api.ref;
    const stageUrl = `https://${api.ref}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${environment.name}`;
    this.publicOrigin = domain ? `https://${domain.domainName}` : stageUrl;
    for (const [type, response] of Object.entries(gatewayResponses(this.publicOrigin))) {
      addResponse(api, type, response);
    }
    new ApiStage(this, 'Live', {
      environment,
      alarmTopic: surroundings.alarmTopic,
      endpoints,
      api,
      origin: this.publicOrigin,
      domain,
    });
    new Authorizer(this, 'Authorizer', {
      ...surroundings,
      publicOrigin: this.publicOrigin,
      bundles,
      sourceArn: this.arnFor('authorizers/*'),
    });
  }

  /** The only caller of an endpoint's function: its method, in whatever stage. */
  methodArn(method: string, path: string): string {
    return this.arnFor(`*/${method}${path.replaceAll(/\{[^}]+\}/g, '*')}`);
  }

  private arnFor(resource: string): string {
    return `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.apiId}/${resource}`;
  }
}

const WITHOUT_VALIDATORS =
  'Every function parses its request by its schema and refuses in the shape of §7; the validators of the gateway cannot do either.';

function addResponse(api: CfnRestApi, responseType: string, response: GatewayResponse): void {
  const literals = Object.entries(response.headers ?? {}).map(([name, value]) => [name, `'${value}'`] as const);
  const fromContext = Object.entries(response.context ?? {}).map(
    ([name, value]) => [name, `context.${value}`] as const,
  );
  new CfnGatewayResponse(api, responseType, {
    restApiId: api.ref,
    responseType,
    ...(response.statusCode !== undefined && { statusCode: `${response.statusCode}` }),
    responseTemplates: { 'application/json': responseTemplate(response) },
    responseParameters: Object.fromEntries(
      [...literals, ...fromContext].map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
    ),
  });
}
