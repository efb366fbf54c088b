// A page for a member of the shop, and its click, with JDBC.
//
//     psql -f schema.sql
//     JDBC_URL=jdbc:postgresql://localhost/shop java -cp /usr/share/java/postgresql.jar Page.java 42
import java.sql.*;
import java.util.*;

class Page {
    // who this is: the last 50 products that the member clicked
    static final String PROFILE = String.join("\n",
        "SELECT dlints_profile(p.features)",
        "FROM  (SELECT r.product_id FROM decision d JOIN reward r ON r.decision_id = d.id",
        "       WHERE  d.member_id = ? AND r.reward > 0",
        "       ORDER  BY d.made_at DESC LIMIT ?) c",
        "JOIN   product p ON p.id = c.product_id");

    // what to show: chosen, written down and returned
    static final String SHOW = String.join("\n",
        "WITH made AS (",
        "    INSERT INTO decision (model, member_id, profile) VALUES (?, ?, ?)",
        "    RETURNING id, model, profile),",
        "candidate AS (",
        "    SELECT array_agg(id) AS ids, array_agg(features) AS features",
        "    FROM   product WHERE in_stock)",
        "INSERT INTO shown (decision_id, product_id, rank, probability)",
        "SELECT d.id, c.item, c.rank, c.probability",
        "FROM   made d JOIN model m ON m.name = d.model, candidate p,",
        "       dlints_decide(m.state, p.ids, p.features, ?, d.profile, epsilon => ?) c",
        "ORDER  BY c.rank",
        "RETURNING decision_id, product_id");

    // what came of it
    static final String REWARD = String.join("\n",
        "INSERT INTO reward (decision_id, product_id, reward) VALUES (?, ?, ?)",
        "ON CONFLICT (decision_id, product_id) DO UPDATE SET reward = excluded.reward");

    static ResultSet query(Connection db, String statement, Object... values) throws SQLException {
        PreparedStatement prepared = db.prepareStatement(statement);
        prepared.closeOnCompletion();
        for (int i = 0; i < values.length; i++)
            prepared.setObject(i + 1, values[i]);
        return prepared.execute() ? prepared.getResultSet() : null;
    }

    static ResultSet show(Connection db, int member) throws SQLException {
        ResultSet row = query(db, PROFILE, member, 50);
        row.next();
        Array profile = row.getArray(1);
        return query(db, SHOW, "shop", member, profile, 5, 0.05);
    }

    static void clicked(Connection db, long decision, int product) throws SQLException {
        query(db, REWARD, decision, product, 1);
    }

    public static void main(String[] arguments) throws SQLException {
        try (Connection db = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
            ResultSet items = show(db, Integer.parseInt(arguments[0]));
            long decision = 0;
            List<Integer> products = new ArrayList<>();
            while (items.next()) {
                decision = items.getLong("decision_id");
                products.add(items.getInt("product_id"));
            }
            System.out.print(decision);
            products.forEach(product -> System.out.print(" " + product));
            System.out.println();
            clicked(db, decision, products.get(0));             // say
        }
    }
}
