import { Aws, NestedStack } from 'aws-cdk-lib';
import { CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import type { Bundles } from '#infra/build/bundle.ts';
import { acknowledge } from '#infra/constructs/acknowledge.ts';
import { API_KEY_SOURCE, apiDefinition, BINARY_MEDIA_TYPES } from '#infra/constructs/api-definition.ts';
import { ApiStage, type ApiStageProps } from '#infra/constructs/api-stage.ts';
import { Authorizer } from '#infra/constructs/authorizer.ts';
import type { Surroundings } from '#infra/constructs/rundown-function.ts';

export interface GatewayStackProps
  extends Omit<Surroundings, 'publicOrigin'>,
    Pick<ApiStageProps, 'routes' | 'domain' | 'webAcl' | 'metricsPerRoute'> {
  readonly bundles: Bundles;
}

/**
 * The routes, the authorizer, and the gateway responses. The gateway is deployed before the functions, which it knows
 * by name. For
 * some seconds a new route answers 5xx until its function exists. A removed route disappears before its function.
 */
export class GatewayStack extends NestedStack {
  readonly apiId: string;
  readonly publicOrigin: string;
  /** The DNS target of the custom domain, if there is one. */
  readonly domainTarget: string | undefined;
  readonly stageArn: string;

  constructor(scope: Construct, id: string, props: GatewayStackProps) {
    super(scope, id);
    const { routes, bundles, domain, webAcl, metricsPerRoute, ...surroundings } = props;
    const { environment } = surroundings;
    const api = new CfnRestApi(this, 'Api', {
      name: `rundown-${environment.name}`,
      body: apiDefinition(environment, routes),
      binaryMediaTypes: BINARY_MEDIA_TYPES,
      apiKeySourceType: API_KEY_SOURCE,
      endpointConfiguration: { types: ['REGIONAL'] },
      // With a custom domain, API Gateway's default endpoint is closed, so that there is one origin.
      disableExecuteApiEndpoint: domain !== undefined,
    });
    acknowledge(api, 'AwsSolutions-APIG2', WITHOUT_VALIDATORS);
    this.apiId = api.ref;
    const stageUrl = `https://${api.ref}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${environment.name}`;
    this.publicOrigin = domain ? `https://${domain.domainName}` : stageUrl;
    const { alarmTopic } = surroundings;
    const settings = { routes, domain, webAcl, metricsPerRoute };
    const live = new ApiStage(this, 'Live', { environment, alarmTopic, api, ...settings });
    this.domainTarget = live.domainTarget;
    this.stageArn = live.stageArn;
    new Authorizer(this, 'Authorizer', {
      ...surroundings,
      publicOrigin: this.publicOrigin,
      bundles,
      sourceArn: this.arnFor('authorizers/*'),
    });
  }

  /** The only caller of an endpoint's function: its method, in any stage. */
  methodArn(method: string, path: string): string {
    return this.arnFor(`*/${method}${path.replaceAll(/\{[^{}]+\}/g, '*')}`);
  }

  /** Every method and path of this API. For a function that answers many routes. */
  anyMethodArn(): string {
    return this.arnFor('*/*');
  }

  private arnFor(resource: string): string {
    return `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.apiId}/${resource}`;
  }
}

const WITHOUT_VALIDATORS =
  'Every function parses its request by its schema and refuses in the shape of §7; the validators of the gateway cannot do either.';
