import { Aws, NestedStack } from 'aws-cdk-lib';
import { CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import type { Bundles } from '#infra/build/bundle.ts';
import { acknowledge } from '#infra/constructs/acknowledge.ts';
import { API_KEY_SOURCE, type ApiRoute, apiDefinition, BINARY_MEDIA_TYPES } from '#infra/constructs/api-definition.ts';
import { Authorizer } from '#infra/constructs/authorizer.ts';
import type { Domain } from '#infra/constructs/custom-domain.ts';
import type { Surroundings } from '#infra/constructs/rundown-function.ts';

export interface GatewayStackProps extends Omit<Surroundings, 'publicOrigin'> {
  readonly routes: readonly ApiRoute[];
  readonly domain: Domain | undefined;
  readonly bundles: Bundles;
}

/**
 * The routes, the authorizer and the gateway responses. Functions need its origin, so it is deployed before them and
 * refers to them by name. The routes go live when `LiveStack` creates a deployment, after the functions.
 */
export class GatewayStack extends NestedStack {
  readonly api: CfnRestApi;
  readonly publicOrigin: string;

  constructor(scope: Construct, id: string, props: GatewayStackProps) {
    super(scope, id);
    const { routes, bundles, domain, ...surroundings } = props;
    const { environment } = surroundings;
    this.api = new CfnRestApi(this, 'Api', {
      name: `rundown-${environment.name}`,
      body: apiDefinition(environment, routes),
      binaryMediaTypes: BINARY_MEDIA_TYPES,
      apiKeySourceType: API_KEY_SOURCE,
      endpointConfiguration: { types: ['REGIONAL'], ipAddressType: 'dualstack' },
      // With a custom domain the default endpoint is disabled, so that there is a single origin.
      disableExecuteApiEndpoint: domain !== undefined,
    });
    acknowledge(this.api, 'AwsSolutions-APIG2', WITHOUT_VALIDATORS);
    const stageUrl = `https://${this.api.ref}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${environment.name}`;
    this.publicOrigin = domain ? `https://${domain.domainName}` : stageUrl;
    new Authorizer(this, 'Authorizer', {
      ...surroundings,
      publicOrigin: this.publicOrigin,
      bundles,
      sourceArn: this.arnFor('authorizers/*'),
    });
  }

  /** The source ARN that may invoke an endpoint's function: its method, in any stage. */
  methodArn(method: string, path: string): string {
    return this.arnFor(`*/${method}${path.replaceAll(/\{[^{}]+\}/g, '*')}`);
  }

  /** Every method and path of this API, for functions with many routes. */
  anyMethodArn(): string {
    return this.arnFor('*/*');
  }

  private arnFor(resource: string): string {
    return `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.api.ref}/${resource}`;
  }
}

const WITHOUT_VALIDATORS =
  'Every function parses its request by its schema and refuses in the shape of §7; the validators of the gateway cannot do either.';
