// Execute statements with node-postgres.  Each line of standard input is a JSON document {"sql", "parameters"}.
// A parameter "=column" stands for the column of the first row of the latest list.  Prints the rows of each
// statement as a line of JSON.
const { Client } = require('pg');
const fs = require('fs');

async function main() {
    const client = new Client();
    let last = {};

    await client.connect();
    for (const line of fs.readFileSync(0, 'utf8').trim().split('\n')) {
        const { sql, parameters } = JSON.parse(line);
        const values = parameters.map(p => (String(p).startsWith('=') ? last[p.slice(1)] : p));
        const { rows } = await client.query(sql, values);

        if (rows.length && 'decision' in rows[0])
            last = rows[0];
        console.log(JSON.stringify(rows));
    }
    await client.end();
}

main().catch(error => { console.error(error); process.exit(1); });
