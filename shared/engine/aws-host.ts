/**
 * The public address of an AWS service in a region, for the requests that we sign ourselves. Browsers and test machines call
 * S3, some of them over IPv6 only, so its dual-stack address is used. The regions of China have another domain. Isolated
 * partitions are not supported: set `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL_SSM` there.
 */
export const awsHost = (service: 's3.dualstack' | 'ssm', region: string): string =>
  `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
