// Execute calls with JDBC; see calls.py.
import java.nio.file.*;
import java.sql.*;
import java.util.*;

class Calls {
    static Object value(Connection db, String text) throws SQLException {
        if (text.equals("null"))
            return null;
        if (text.startsWith("{"))
            return db.createArrayOf("float8",
                Arrays.stream(text.substring(1, text.length() - 1).split(","))
                    .filter(element -> !element.isEmpty()).map(Double::valueOf).toArray());
        if (text.matches("-?\\d+"))
            return Integer.valueOf(text);
        return text.matches("-?\\d+\\.\\d+") ? (Object) Double.valueOf(text) : text;
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection db = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
            for (String line : Files.readAllLines(Paths.get(arguments[0]))) {
                String[] call = line.split("\t");
                PreparedStatement prepared = db.prepareStatement(call[0].replaceAll("\\$\\d", "?"));
                for (int i = 1; i < call.length; i++)
                    prepared.setObject(i, value(db, call[i]));
                if (!prepared.execute())
                    continue;
                ResultSet rows = prepared.getResultSet();
                rows.next();
                System.out.println(rows.getString(1));
            }
        }
    }
}
