/**
 * The public host name of an AWS service in a region, for requests that we sign ourselves. S3 uses the dual-stack
 * endpoint, because browsers and test machines may be IPv6-only. The China regions have their own domain. Isolated
 * partitions are not supported: set `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL_SSM` there.
 */
export const awsHost = (service: 's3.dualstack' | 'ssm', region: string): string =>
  `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
