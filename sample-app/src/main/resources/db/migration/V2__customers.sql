-- The read model of the projection orders-per-customer.
CREATE TABLE customers (
    customer VARCHAR(200) NOT NULL PRIMARY KEY,
    orders   INT NOT NULL,
    pieces   INT NOT NULL
);
