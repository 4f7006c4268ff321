// Commands that write a first point, for copying. The token stands for itself as `$TOKEN`: none lies in a text that
// may be pasted elsewhere.

export interface Snippet {
  readonly name: string
  readonly text: string
}

export function snippets(url: string, org: string, bucket: string): readonly Snippet[] {
  const query = `org=${encodeURIComponent(org)}&bucket=${encodeURIComponent(bucket)}&precision=s`
  const [o, b] = [JSON.stringify(org), JSON.stringify(bucket)]
  return [
    {
      name: 'curl',
      text: [
        `curl -X POST '${url}/api/v2/write?${query}' \\`,
        '  -H "Authorization: Token $TOKEN" \\',
        `  --data-raw "room,room=kitchen temperature=21.5 $(date +%s)"`,
      ].join('\n'),
    },
    {
      name: 'Telegraf',
      text: [
        '[[inputs.cpu]]',
        '[[inputs.mem]]',
        '[[outputs.influxdb_v2]]',
        `  urls = ["${url}"]`,
        '  token = "$TOKEN"',
        `  organization = ${o}`,
        `  bucket = ${b}`,
      ].join('\n'),
    },
    {
      name: 'Node',
      text: [
        "import { InfluxDB, Point } from '@influxdata/influxdb-client'",
        `const client = new InfluxDB({ url: '${url}', token: process.env.TOKEN })`,
        `const write = client.getWriteApi(${o}, ${b}, 's')`,
        "write.writePoint(new Point('room').tag('room', 'kitchen').floatField('temperature', 21.5))",
        'await write.close()',
      ].join('\n'),
    },
    {
      name: 'Python',
      text: [
        'import os',
        'from influxdb_client import InfluxDBClient, Point',
        'from influxdb_client.client.write_api import SYNCHRONOUS',
        `client = InfluxDBClient(url="${url}", token=os.environ["TOKEN"], org=${o})`,
        'point = Point("room").tag("room", "kitchen").field("temperature", 21.5)',
        `client.write_api(write_options=SYNCHRONOUS).write(bucket=${b}, record=point)`,
      ].join('\n'),
    },
    {
      name: 'Go',
      text: [
        `client := influxdb2.NewClient("${url}", os.Getenv("TOKEN"))`,
        `write := client.WriteAPIBlocking(${o}, ${b})`,
        'write.WriteRecord(context.Background(), "room,room=kitchen temperature=21.5")',
      ].join('\n'),
    },
    {
      name: 'Arduino',
      text: [
        `InfluxDBClient client("${url}", ${o}, ${b}, TOKEN);`,
        'Point room("room");',
        'room.addTag("room", "kitchen");',
        'room.addField("temperature", 21.5);',
        'client.writePoint(room);',
      ].join('\n'),
    },
  ]
}
